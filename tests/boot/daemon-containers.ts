// What apid, trustd and registryd can see and do in their containers, as their administrator sees it from outside: the same on a machine
// and in the node image.
import assert from 'node:assert/strict';

/** Runs talosctl until it succeeds, and returns its output. */
type Talosctl = (words: readonly string[]) => Promise<string>;

export interface ShownContainer {
  readonly id: string;
  readonly image: string;
  readonly pid: string;
  readonly status: string;
}

/** The containers in the namespace of the services of the node. */
export async function systemContainers(talosctl: Talosctl): Promise<ShownContainer[]> {
  const rows = (await talosctl(['containers'])).trim().split('\n').slice(1);
  return rows.map((row) => {
    const [, , id = '', image = '', pid = '', status = ''] = row.trim().split(/\s+/);
    return { id, image, pid, status };
  });
}

const users: Readonly<Record<string, string>> = { apid: '50', trustd: '51', registryd: '53' };
/** The only folders that a daemon may write to: for its health socket, in memory, and registryd for its images. */
const writable = (id: string) => [
  ...['/dev', '/proc', `/run/${id}`],
  ...(id === 'registryd' ? ['/var/lib/registryd'] : []),
];
/** What the kernel and runc mount. */
const isOfKernel = (path: string) => /^\/(proc|dev|sys)(\/|$)/.test(path);

const fieldsOf = (status: string) =>
  Object.fromEntries(
    status.split('\n').map((line) => {
      const [name = '', ...values] = line.split(/[:\s]+/);
      return [name, values.filter((value) => value !== '')] as const;
    }),
  );

/** Checks the containers of these daemons. @returns their pids */
export async function checkDaemonContainers(
  talosctl: Talosctl,
  daemons: readonly string[],
): Promise<readonly string[]> {
  const found = (await systemContainers(talosctl)).filter(({ id }) => id in users);
  assert.deepEqual(
    found.map(({ id, image, status }) => `${id} ${image.replace(/:.*/, '')} ${status}`),
    daemons.map((id) => `${id} nodewright/${id} RUNNING`),
  );
  const stats = await talosctl(['stats']);
  for (const { id, pid } of found) {
    assert.match(stats, new RegExp(`\\b${id} `));
    assert.match(await talosctl(['logs', id]), /daemon serves/);
    await checkProcess(talosctl, id, pid);
    await checkMounts(talosctl, id, pid);
  }
  return found.map(({ pid }) => pid);
}

async function checkProcess(talosctl: Talosctl, id: string, pid: string): Promise<void> {
  const status = fieldsOf(await talosctl(['read', `/proc/${pid}/status`]));
  const none = ['0000000000000000'];
  const user = Array(4).fill(users[id]);
  const { Uid, Gid, Groups, CapInh, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs, Seccomp, NSpid } = status;
  assert.deepEqual(
    { Uid, Gid, Groups, CapInh, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs, Seccomp, first: NSpid?.at(-1) },
    {
      ...{ Uid: user, Gid: user, Groups: [] },
      ...{ CapInh: none, CapPrm: none, CapEff: none, CapBnd: none, CapAmb: none },
      // Filter mode. In a process namespace of its own it is the first process.
      ...{ NoNewPrivs: ['1'], Seccomp: ['2'], first: '1' },
    },
  );
  const cgroup = await talosctl(['read', `/proc/${pid}/cgroup`]);
  assert.match(cgroup, new RegExp(`^0::(/.*)?/system/${id}$`, 'm'));
  const command = (await talosctl(['read', `/proc/${pid}/cmdline`])).split('\0');
  assert.ok(
    command.includes('--permission') && !command.includes('--allow-child-process'),
    command.join(' '),
  );
}

async function checkMounts(talosctl: Talosctl, id: string, pid: string): Promise<void> {
  const mounts = (await talosctl(['read', `/proc/${pid}/mountinfo`])).trim().split('\n');
  const shown = mounts.map((line) => {
    const [, , , , path = '', options = ''] = line.split(' ');
    return { path, isWritable: options.split(',').includes('rw') };
  });
  const own = shown.filter(({ path }) => !isOfKernel(path));
  assert.deepEqual(own.find(({ path }) => path === '/')?.isWritable, false);
  const unexpected = shown.filter(
    ({ path, isWritable }) => isWritable && !writable(id).includes(path) && !isOfKernel(path),
  );
  assert.deepEqual(unexpected, []);
  const folders = own
    .map(({ path }) => path)
    .filter((path) => !/^\/(usr\/lib|usr\/bin\/node$|etc\/)/.test(path));
  const sockets = [
    ...['/', '/system/resolved', `/system/run/${id}`, `/run/${id}`],
    ...(id === 'apid' ? ['/run/machined'] : []),
    ...(id === 'registryd' ? ['/var/lib/registryd'] : []),
  ];
  assert.deepEqual(folders.toSorted(), sockets.toSorted());
}
