import { list, message } from './composite-types.ts';
import { field } from './field.ts';
import { text, uint32 } from './scalar-types.ts';

const idMapping = message({
  containerid: field(1, uint32),
  hostid: field(2, uint32),
  size: field(3, uint32),
});

/** A mount in an OCI runtime specification. */
export const ociMount = message(
  {
    destination: field(1, text),
    type: field(2, text),
    source: field(3, text),
    options: field(4, list(text)),
    uidmappings: field(5, list(idMapping)),
    gidmappings: field(6, list(idMapping)),
  },
  'ocimount',
);
