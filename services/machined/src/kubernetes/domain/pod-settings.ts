import { createHash } from 'node:crypto';
import type { JsonObject } from '@nodewright/state';

/** Identifies a pod: when it differs, the component has to be restarted. */
export function podSettings(pod: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(pod)).digest('hex');
}
