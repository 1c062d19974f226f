/** Names of fields that may hold a secret in kinds that are not secret as a whole. */
export const secretKey =
  /(?:^|[a-z_-])(?:token|password|passwd|passphrase|secret|private[_-]?key|preshared[_-]?key|identitytoken|auth[_-]?key|api[_-]?key|access[_-]?key|account[_-]?key|license[_-]?key)$/i;
/** The same in a text of YAML, to find out whether it is worth parsing. */
export const mayHoldSecretKey =
  /(?:token|password|passwd|passphrase|secret|private[_-]?key|preshared[_-]?key|auth[_-]?key|api[_-]?key|access[_-]?key|account[_-]?key|license[_-]?key)["']?\s{0,8}:/i;
