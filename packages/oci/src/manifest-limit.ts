/** The size of manifests that registries must accept. Source: OCI distribution specification, pushing manifests. */
export const manifestLimitBytes = 4 * 1024 * 1024;
