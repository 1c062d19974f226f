/** Largest message that the Machine API and the gateway take, in bytes (32 MiB). Source: Talos v1.14: constants. */
export const maxMessageSizeBytes = 32 * 1024 * 1024;

/** Largest `ApplyConfiguration`, in bytes: the 8 MiB of a configuration that a node reads, and room around it. */
export const maxApplyConfigurationBytes = (8 * 1024 + 64) * 1024;

/** Largest message that trustd takes, in bytes: a certificate request of 64 KiB, and room around it. */
export const maxTrustdMessageSizeBytes = 96 * 1024;
