import { message } from './composite-types.ts';
import { field } from './field.ts';
import { base64Text } from './scalar-types.ts';

// All of these are texts in PEM; YAML shows them in base64. Keys are secrets: only sensitive kinds have them.

export const certificate = message({ crt: field(1, base64Text) }, 'cert');
export const privateKey = message({ key: field(1, base64Text) }, 'key');
export const certificateAndKey = message({ crt: field(1, base64Text), key: field(2, base64Text) }, 'certkey');
