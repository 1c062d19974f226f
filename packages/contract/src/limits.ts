/**
 * Maximum size of a message of the Machine API and of apid, in bytes (32 MiB). Source: Talos v1.14:
 * constants.
 */
export const maxMessageSizeBytes = 32 * 1024 * 1024;

/**
 * Maximum size of an `ApplyConfiguration` request, in bytes: 8 MiB for the configuration and 64 KiB for other
 * fields.
 */
export const maxApplyConfigurationBytes = (8 * 1024 + 64) * 1024;

/**
 * Maximum size of a message to trustd, in bytes: 64 KiB for the certificate request and 32 KiB for other
 * fields.
 */
export const maxTrustdMessageSizeBytes = 96 * 1024;
