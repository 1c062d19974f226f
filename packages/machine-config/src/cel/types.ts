/** What an expression may come to; `any` where that is not known. */
export type ExpressionType =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'string'
  | 'uint'
  | 'disk'
  | 'volume';

/** Who asks: what variables, fields and functions there are. `open` knows no names and takes all of them. */
export type ExpressionEnvironment = 'disk' | 'volume' | 'link' | 'open';

type Types = Readonly<Record<string, ExpressionType>>;

/** Source: Talos v1.14: machine configuration, CEL environments. */
export const variables: Readonly<Record<ExpressionEnvironment, Types>> = {
  disk: { disk: 'disk', system_disk: 'bool' },
  volume: { volume: 'volume', disk: 'disk' },
  link: { link: 'any' },
  open: {},
};

/** Fields of the messages. Source: Talos v1.14: resources, block. */
export const fields: Readonly<Record<'disk' | 'volume', Types>> = {
  disk: {
    dev_path: 'string',
    size: 'uint',
    pretty_size: 'string',
    io_size: 'uint',
    sector_size: 'uint',
    readonly: 'bool',
    cdrom: 'bool',
    model: 'string',
    firmware_version: 'string',
    serial: 'string',
    modalias: 'string',
    wwid: 'string',
    uuid: 'string',
    bus_path: 'string',
    sub_system: 'string',
    transport: 'string',
    rotational: 'bool',
    secondary_disks: 'list',
    symlinks: 'list',
  },
  volume: {
    dev_path: 'string',
    type: 'string',
    device_path: 'string',
    parent: 'string',
    parent_dev_path: 'string',
    offset: 'uint',
    size: 'uint',
    pretty_size: 'string',
    sector_size: 'uint',
    io_size: 'uint',
    name: 'string',
    uuid: 'string',
    label: 'string',
    block_size: 'uint',
    filesystem_block_size: 'uint',
    probed_size: 'uint',
    partition_uuid: 'string',
    partition_type: 'string',
    partition_label: 'string',
    partition_index: 'uint',
  },
};

export const unitConstants: readonly string[] = [
  ...['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'],
  ...['kB', 'MB', 'GB', 'TB', 'PB', 'EB'],
];

const standardFunctions: Types = {
  size: 'int',
  int: 'int',
  uint: 'uint',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  bool: 'bool',
  type: 'any',
  dyn: 'any',
  duration: 'any',
  timestamp: 'any',
  matches: 'bool',
};

/** Functions that stand by themselves. */
export const functions: Readonly<Record<ExpressionEnvironment, Types>> = {
  disk: { ...standardFunctions, glob: 'bool' },
  volume: standardFunctions,
  link: { ...standardFunctions, glob: 'bool', mac: 'string' },
  open: standardFunctions,
};

/** Functions that follow a value. */
export const methods: Types = {
  contains: 'bool',
  startsWith: 'bool',
  endsWith: 'bool',
  matches: 'bool',
  size: 'int',
  lowerAscii: 'string',
  upperAscii: 'string',
  trim: 'string',
  replace: 'string',
  split: 'list',
  join: 'string',
  substring: 'string',
  indexOf: 'int',
};

/** Those that bind a variable for their last argument. */
export const macros: Types = {
  all: 'bool',
  exists: 'bool',
  exists_one: 'bool',
  map: 'list',
  filter: 'list',
};
