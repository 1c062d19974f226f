import { faultFrom } from '@nodewright/fault';
import { pointerTo, putResource, type State } from '@nodewright/state';
import { metaKeys, metaLoads } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { type MetaValues, metaKeyId, withMetaValue, withoutMetaValue } from '../domain/meta-values.ts';
import type { MetaFile } from '../host/meta-file.ts';

/** The values that survive a new machine configuration, by key. Source: Talos v1.14: META. */
export interface MetaStore {
  /** Resolves when it is on disk and to be seen as a resource. @throws Fault */
  write(key: number, value: Uint8Array): Promise<void>;
  /** @throws Fault `not-found` when there is none */
  delete(key: number): Promise<void>;
}

export interface MetaStoreInit {
  readonly state: State;
  /** None in a container: META is always empty there, and what is written is not kept. */
  readonly file: MetaFile | undefined;
  readonly log: Logger;
}

/**
 * Reads META and shows it as resources in nobody's name, `MetaLoads` last. A damaged file is put aside and told in the
 * log: a node without the values can still be mended by calls. @throws Fault when the file cannot be read
 */
export async function openMetaStore({ state, file, log }: MetaStoreInit): Promise<MetaStore> {
  let values = file === undefined ? new Map<number, Uint8Array>() : await read(file, log);
  let turn: Promise<unknown> = Promise.resolve();

  const show = (key: number, value: Uint8Array) =>
    putResource(state, {
      ...pointerTo(metaKeys, metaKeyId(key)),
      spec: { value: Buffer.from(value).toString('utf8') },
    });
  for (const [key, value] of values) await show(key, value);
  await putResource(state, { ...pointerTo(metaLoads), spec: { done: true } });

  /** One change after the other: each starts from what the one before has left. */
  const inTurn = (change: () => Promise<unknown>): Promise<void> => {
    const done = turn.then(change).then(() => {});
    turn = done.catch(() => {});
    return done;
  };
  const keep = async (next: MetaValues) => {
    await file?.write(next);
    values = next;
  };
  return {
    write: (key, value) =>
      inTurn(async () => {
        const next = withMetaValue(values, key, value);
        if (file === undefined) return;
        await keep(next);
        await show(key, value);
      }),
    delete: (key) =>
      inTurn(async () => {
        await keep(withoutMetaValue(values, key));
        await state.destroy(pointerTo(metaKeys, metaKeyId(key)));
      }),
  };
}

async function read(file: MetaFile, log: Logger): Promise<MetaValues> {
  try {
    return await file.read();
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'data-loss') throw error;
    log.error({ error: message }, 'META is damaged and put aside: its values are lost');
    await file.putAside();
    return new Map();
  }
}
