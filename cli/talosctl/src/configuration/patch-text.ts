import { Fault } from '@nodewright/fault';
import type { ConfigPatch } from '@nodewright/machine-config';
import { naming } from '../context/read-input.ts';

const noJsonPatches =
  'JSON6902 patches are not supported for multi-document machine configuration: write the patch as YAML to merge, such as "machine: {...}"';

export interface PatchedText {
  readonly text: string;
  /** Whether the patches changed anything except comments. */
  readonly isChanged: boolean;
}

/**
 * Applies patches to a machine configuration. Without patches it returns the original text, otherwise newly encoded
 * YAML without comments. Source: Talos v1.14: machine configuration, patches.
 *
 * @param name the name of the text in messages
 * @param options `isStored` when the text is of a node, which may have stored it in an older release
 * @throws Fault that says whether the configuration or a patch is invalid, and where
 */
export async function patchText(
  name: string,
  text: string,
  patches: readonly ConfigPatch[],
  options: { readonly isStored?: boolean } = {},
): Promise<PatchedText> {
  if (patches.length === 0) return { text, isChanged: false };
  const { applyPatches, encodeConfiguration, loadConfiguration } = await import('@nodewright/machine-config');
  const before = await naming(`cannot use ${name}`, () => loadConfiguration(text, options));
  const after = await naming(`cannot patch ${name}`, () => {
    if (before.length > 1 && patches.some(({ kind }) => kind === 'json')) {
      throw new Fault('invalid-argument', noJsonPatches);
    }
    return applyPatches(before, patches);
  });
  const patched = encodeConfiguration(after);
  return { text: patched, isChanged: patched !== encodeConfiguration(before) };
}
