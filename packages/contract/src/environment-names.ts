/** Selects the implementation of HTTP/2 in apid. Clusters of processes pass it on to their nodes. */
export const h2EngineVariable = 'H2_ENGINE';
