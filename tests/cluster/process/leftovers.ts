import { readdirSync, readFileSync } from 'node:fs';

/** Lists what is left of clusters below a folder: processes, sockets, files. Empty when nothing is. */
export function leftoversOf(home: string, subnets: readonly string[]): string[] {
  return [...processesOf(home), ...listenersOn(subnets), ...filesBelow(home)];
}

/** Processes that have the folder in their command line or their environment. */
export function processesOf(home: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) =>
      `${read(`/proc/${pid}/cmdline`)}\0${read(`/proc/${pid}/environ`)}`.includes(`${home}/clusters`),
    )
    .filter((pid) => !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)))
    .map((pid) => `process ${pid}: ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

/** Listening sockets with an address in these ranges, `127.a.b.0/24`. */
function listenersOn(subnets: readonly string[]): string[] {
  const prefixes = subnets.map((cidr) => {
    const [first = '', second = '', third = ''] = cidr.split('.');
    return [third, second, first]
      .map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase())
      .join('');
  });
  const tables = ['/proc/net/tcp', '/proc/net/udp'].flatMap((path) => read(path).split('\n').slice(1));
  return (
    tables
      .map((line) => line.trim().split(/\s+/))
      // Ignore connections in TIME_WAIT, which no process owns.
      .filter(
        ([, local = '', , state]) =>
          ['0A', '07'].includes(state ?? '') && prefixes.includes(local.slice(2, 8)),
      )
      .map(([, local]) => `socket ${local}`)
  );
}

/** All files except the talosconfig, which belongs to the user. */
function filesBelow(home: string): string[] {
  return readdirSync(home, { recursive: true })
    .map(String)
    .filter((entry) => entry !== 'config' && entry !== 'clusters');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
