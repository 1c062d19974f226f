import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { type ConfigurationSource, searchConfiguration } from './search-configuration.ts';

const partial = 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n';
const complete = 'machine:\n  type: worker\n';
const other = 'machine:\n  type: controlplane\n';

function source(name: string, given: string | undefined | Error): ConfigurationSource {
  return {
    name,
    isStored: name === 'STATE',
    async load() {
      if (given instanceof Error) throw given;
      return given;
    },
  };
}

interface Outcome {
  readonly found: string;
  /** Which source gave what was taken, in order. */
  readonly taken: readonly string[];
}

async function search(given: Readonly<Record<string, string | undefined | Error>>): Promise<Outcome> {
  const taken: string[] = [];
  const found = await searchConfiguration(
    {
      sources: Object.entries(given).map(([name, value]) => source(name, value)),
      read: async (text) => {
        if (text === other) throw new Fault('invalid-argument', 'refused');
        return decodeConfiguration(text);
      },
      take: async (_, { name }) => void taken.push(name),
    },
    new AbortController().signal,
  );
  return { found: found.kind === 'damaged' ? found.fault.message : found.kind, taken };
}

const rows: readonly {
  readonly says: string;
  readonly given: Parameters<typeof search>[0];
  readonly outcome: Outcome;
}[] = [
  {
    says: 'finds nothing where there is nothing',
    given: { STATE: undefined, platform: undefined },
    outcome: { found: 'incomplete', taken: [] },
  },
  {
    says: 'ends with a complete one that is stored',
    given: { STATE: complete, platform: complete },
    outcome: { found: 'complete', taken: ['STATE'] },
  },
  {
    says: 'asks nobody after a part that is stored',
    given: { STATE: partial, platform: complete },
    outcome: { found: 'incomplete', taken: ['STATE'] },
  },
  {
    says: 'takes a part of another source and goes on',
    given: { STATE: undefined, embedded: partial, platform: complete, inline: complete },
    outcome: { found: 'complete', taken: ['embedded', 'platform'] },
  },
  {
    says: 'ends with a part when nobody has more',
    given: { STATE: undefined, embedded: partial, platform: undefined },
    outcome: { found: 'incomplete', taken: ['embedded'] },
  },
  {
    says: 'says that what is stored is damaged, and where',
    given: { STATE: 'machine:\n  typ: worker\n', platform: complete },
    outcome: { found: 'machine configuration of STATE: ', taken: [] },
  },
  {
    says: 'says that what is stored is refused',
    given: { STATE: other, platform: complete },
    outcome: { found: 'machine configuration of STATE: refused', taken: [] },
  },
];

for (const { says, given, outcome } of rows) {
  test(`searchConfiguration() ${says}`, async () => {
    const { found, taken } = await search(given);
    assert.deepEqual({ found: found.slice(0, outcome.found.length), taken }, outcome);
  });
}

test('searchConfiguration() fails as a source that cannot be asked, or that is wrong, and names it', async () => {
  await assert.rejects(search({ STATE: new Fault('unavailable', 'no disk'), platform: complete }), {
    kind: 'unavailable',
    message: 'machine configuration of STATE: no disk',
  });
  await assert.rejects(search({ STATE: undefined, platform: other }), {
    kind: 'invalid-argument',
    message: 'machine configuration of platform: refused',
  });
});
