import { message } from './composite-types.ts';
import { field } from './field.ts';
import { base64Text } from './scalar-types.ts';

// The values are PEM texts, shown as base64 in YAML. Keys are secret: only sensitive kinds may use them.

export const certificate = message({ crt: field(1, base64Text) }, 'cert');
export const privateKey = message({ key: field(1, base64Text) }, 'key');
export const certificateAndKey = message({ crt: field(1, base64Text), key: field(2, base64Text) }, 'certkey');
