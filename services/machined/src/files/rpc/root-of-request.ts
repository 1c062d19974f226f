import { Fault, faultFrom } from '@nodewright/fault';
import { cleanPath, pathFromRequest } from '../domain/node-path.ts';
import type { FoundFile, NodeFiles } from '../host/node-files.ts';

/**
 * Where a call that goes through folders begins: the path without links. A path without a slash at its begin gets one.
 * The caller disposes.
 *
 * @throws Fault of kind `unknown` when nothing is there. Source: Talos v1.14: List.
 */
export async function rootOfRequest(files: NodeFiles, path: string): Promise<FoundFile> {
  try {
    return await files.find(cleanPath(`/${pathFromRequest(path)}`));
  } catch (error) {
    throw missingIsUnknown(error);
  }
}

/** As upstream, which gives no code of its own to what is not there, except by Read. */
export function missingIsUnknown(error: unknown): unknown {
  const { kind, message } = faultFrom(error);
  return kind === 'not-found' ? new Fault('unknown', message, { cause: error }) : error;
}
