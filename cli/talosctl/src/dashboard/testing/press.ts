import { afterKey } from '../model/keys.ts';
import type { DashboardModel } from '../model/model.ts';
import type { Key, KeyName } from '../screen/decode-keys.ts';

/** For tests: the model after these keys. Words of more than one letter are names of keys. */
export function afterKeys(model: DashboardModel, ...words: readonly string[]): DashboardModel {
  return words
    .map(
      (word): Key =>
        word.length === 1 ? { kind: 'character', text: word } : { kind: 'named', name: word as KeyName },
    )
    .reduce((after, key) => afterKey(after, key, 10), model);
}
