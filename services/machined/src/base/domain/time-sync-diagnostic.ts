/** The id of the diagnostic that says why the clock of a machine still waits for a time server. */
export const timeSyncDiagnostic = 'time-sync';
