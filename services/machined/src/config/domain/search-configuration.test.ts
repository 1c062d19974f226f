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
  /** The sources of the configurations taken, in order. */
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
    says: 'is incomplete when no source has a configuration',
    given: { STATE: undefined, platform: undefined },
    outcome: { found: 'incomplete', taken: [] },
  },
  {
    says: 'stops at a complete stored configuration',
    given: { STATE: complete, platform: complete },
    outcome: { found: 'complete', taken: ['STATE'] },
  },
  {
    says: 'reads no further source after a stored partial configuration',
    given: { STATE: partial, platform: complete },
    outcome: { found: 'incomplete', taken: ['STATE'] },
  },
  {
    says: 'takes a partial configuration from another source and goes on',
    given: { STATE: undefined, embedded: partial, platform: complete, inline: complete },
    outcome: { found: 'complete', taken: ['embedded', 'platform'] },
  },
  {
    says: 'is incomplete when all sources have only a part',
    given: { STATE: undefined, embedded: partial, platform: undefined },
    outcome: { found: 'incomplete', taken: ['embedded'] },
  },
  {
    says: 'reports a damaged stored configuration with its source',
    given: { STATE: 'machine:\n  typ: worker\n', platform: complete },
    outcome: { found: 'machine configuration of STATE: ', taken: [] },
  },
  {
    says: 'reports a refused stored configuration',
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

test('searchConfiguration() rejects when a source fails or its configuration is refused, and names the source', async () => {
  await assert.rejects(search({ STATE: new Fault('unavailable', 'no disk'), platform: complete }), {
    kind: 'unavailable',
    message: 'machine configuration of STATE: no disk',
  });
  await assert.rejects(search({ STATE: undefined, platform: other }), {
    kind: 'invalid-argument',
    message: 'machine configuration of platform: refused',
  });
});
