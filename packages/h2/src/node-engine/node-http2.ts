/** The module is loaded by the first connection: 6 MB of memory that a daemon on another engine does not need. */
export const nodeHttp2 = () => process.getBuiltinModule('node:http2');
