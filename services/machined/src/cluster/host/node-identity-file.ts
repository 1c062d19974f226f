import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import { nodeIdentityText, nodeIdFromBytes, nodeIdFromText } from '../domain/node-identity.ts';

const identityBytes = 32;

/**
 * Returns the id of this node from the file at `path`, or creates a new id and stores it there.
 *
 * @throws Fault with the path when the file cannot be read or written, or has no id
 */
export async function openNodeIdentity(
  path: string,
  random: typeof randomBytes = randomBytes,
): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'not-found') throw new Fault(kind, `cannot read "${path}": ${message}`, { cause: error });
    const nodeId = nodeIdFromBytes(random(identityBytes));
    await writeFileAtomically(path, nodeIdentityText(nodeId));
    return nodeId;
  }
  try {
    return nodeIdFromText(text);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `"${path}": ${message}`);
  }
}
