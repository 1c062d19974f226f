import { faultFrom } from '@nodewright/fault';
import { pointerTo, putResource, type State } from '@nodewright/state';
import { metaKeys, metaLoads } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { type MetaValues, metaKeyId, withMetaValue, withoutMetaValue } from '../domain/meta-values.ts';
import type { MetaFile } from '../host/meta-file.ts';

/** META values by key. They survive a new machine configuration. Source: Talos v1.14: META. */
export interface MetaStore {
  /** Resolves when the value is on disk and published as a resource. @throws Fault */
  write(key: number, value: Uint8Array): Promise<void>;
  /** @throws Fault `not-found` when the key has no value */
  delete(key: number): Promise<void>;
  /**
   * Changes several values by one write. A value of undefined is removed, if it is there.
   *
   * @throws Fault `resource-exhausted` when META is full: nothing has changed then
   */
  change(entries: ReadonlyMap<number, Uint8Array | undefined>): Promise<void>;
  /** Resolves when the changes that were requested before are made, or have failed. */
  settled(): Promise<void>;
  /** The present values; undefined when META was damaged at the start of the node, and nothing was written since. */
  values(): MetaValues | undefined;
}

export interface MetaStoreInit {
  readonly state: State;
  /**
   * The META file; `undefined` in a container, where META is always empty and written values are not kept.
   */
  readonly file: MetaFile | undefined;
  readonly log: Logger;
}

/**
 * Reads META and publishes its values as resources without an owner, then `MetaLoads`. A damaged file is put
 * aside and the damage is logged: calls can still repair a node without its META values.
 *
 * @throws Fault when the file cannot be read
 */
export async function openMetaStore({ state, file, log }: MetaStoreInit): Promise<MetaStore> {
  const found = file === undefined ? new Map<number, Uint8Array>() : await read(file, log);
  let isLost = found === undefined;
  let values: MetaValues = found ?? new Map<number, Uint8Array>();
  let turn: Promise<unknown> = Promise.resolve();

  const show = (key: number, value: Uint8Array) =>
    putResource(state, {
      ...pointerTo(metaKeys, metaKeyId(key)),
      spec: { value: Buffer.from(value).toString('utf8') },
    });
  for (const [key, value] of values) await show(key, value);
  await putResource(state, { ...pointerTo(metaLoads), spec: { done: true } });

  /** Runs changes one at a time, so that each starts from the result of the previous one. */
  const inTurn = (change: () => Promise<unknown>): Promise<void> => {
    const done = turn.then(change).then(() => {});
    turn = done.catch(() => {});
    return done;
  };
  const keep = async (next: MetaValues) => {
    await file?.write(next);
    values = next;
    isLost = false;
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
    change: (entries) =>
      inTurn(async () => {
        let next = values;
        // In this order: what is removed makes room.
        for (const [key, value] of entries)
          if (value === undefined && next.has(key)) next = withoutMetaValue(next, key);
        for (const [key, value] of entries) if (value !== undefined) next = withMetaValue(next, key, value);
        if (file === undefined) return;
        const before = values;
        await keep(next);
        for (const [key, value] of entries)
          if (value !== undefined) await show(key, value);
          else if (before.has(key)) await state.destroy(pointerTo(metaKeys, metaKeyId(key)));
      }),
    settled: () => inTurn(async () => {}),
    values: () => (isLost ? undefined : values),
  };
}

/** @returns undefined when it was damaged */
async function read(file: MetaFile, log: Logger): Promise<MetaValues | undefined> {
  try {
    return await file.read();
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'data-loss') throw error;
    log.error({ error: message }, 'META is damaged: its file is put aside and its values are lost');
    await file.putAside();
    return undefined;
  }
}
