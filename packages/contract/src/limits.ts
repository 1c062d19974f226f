/** Largest message that the Machine API and the gateway take, in bytes (32 MiB). Source: Talos v1.14: constants. */
export const maxMessageSizeBytes = 32 * 1024 * 1024;

/** Largest message that trustd takes, in bytes (the gRPC default of 4 MiB). */
export const maxTrustdMessageSizeBytes = 4 * 1024 * 1024;
