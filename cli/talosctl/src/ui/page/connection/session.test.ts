import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterRefusal, askTabs } from './session.ts';

/** A tab without a session, beside tabs whose answers a test gives, and a program that knows the session `known`. */
function openTab() {
  const others = new BroadcastChannel('session');
  const listeners = new Set<() => void>();
  const rig = {
    others,
    known: 'known',
    asked: 0,
    tried: [] as string[],
    received: [] as string[],
    comeBack: () => listeners.forEach((listener) => void listener()),
    stop: () => {},
    [Symbol.dispose]: () => {
      rig.stop();
      others.close();
    },
  };
  others.onmessage = ({ data }: MessageEvent) => {
    if ((data as { kind?: string }).kind === 'wanted') rig.asked += 1;
  };
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      removeItem: (key: string) => kept.delete(key),
    },
    document: {
      addEventListener: (_: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
    },
    fetch: async (_path: string, { headers }: { headers: Record<string, string> }) => {
      const secret = headers['x-page-secret'] ?? '';
      rig.tried.push(secret);
      await sleep(20);
      if (secret === rig.known) return new Response(JSON.stringify({ secret: 'further' }));
      return new Response(JSON.stringify({ error: 'no session' }), { status: 401 });
    },
  });
  rig.stop = askTabs(
    (secret) => rig.received.push(secret),
    () => {},
  );
  return rig;
}

async function until(holds: () => boolean): Promise<void> {
  for (let count = 0; !holds(); count += 1) {
    assert.ok(count < 1000, 'after ten seconds');
    await sleep(10);
  }
}

const offer = (rig: ReturnType<typeof openTab>, ...secrets: readonly string[]) => {
  for (const secret of secrets) rig.others.postMessage({ kind: 'secret', secret });
};

test('askTabs() goes on with the secret of a second tab when the program refuses that of the first', async () => {
  using rig = openTab();
  await until(() => rig.asked === 1);
  offer(rig, 'ended', 'known');
  await until(() => rig.received.length > 0);
  assert.deepEqual([rig.tried, rig.received], [['ended', 'known'], ['further']]);
});

test('askTabs() asks once more when all secrets were refused, and then when the user comes back', async () => {
  using rig = openTab();
  await until(() => rig.asked === 1);
  offer(rig, 'ended');
  await until(() => rig.asked === 2);
  // The tab that has ended answers again, and a further one does, too.
  offer(rig, 'ended', 'ended too');
  await until(() => rig.tried.length === 2);
  await sleep(100);
  assert.deepEqual([rig.asked, rig.tried], [2, ['ended', 'ended too']]);
  rig.comeBack();
  await until(() => rig.asked === 3);
  offer(rig, 'known');
  await until(() => rig.received.length > 0);
});

test('askTabs() tries a limited number of secrets, however many it is offered', async () => {
  using rig = openTab();
  await until(() => rig.asked === 1);
  offer(rig, ...Array.from({ length: 100 }, (_, at) => `secret ${at}`));
  await until(() => rig.asked === 2);
  await sleep(100);
  assert.equal(rig.tried.length, 8);
});
test('a link that is refused does not hide the session that its tab has had before', async () => {
  const run = async (resumed: string | undefined, isBegun = false) => {
    const did: string[] = [];
    await afterRefusal({
      isBegun: () => isBegun || did.includes('begins with old'),
      resume: async () => {
        did.push('resumes');
        return resumed;
      },
      begin: (secret) => did.push(`begins with ${secret}`),
      askTabs: () => did.push('asks tabs'),
    });
    return did;
  };
  assert.deepEqual(await run('old'), ['resumes', 'begins with old']);
  assert.deepEqual(await run(undefined), ['resumes', 'asks tabs']);
  assert.deepEqual(await run('old', true), []);
});
