/** The name of a node in a stack; that of another container of the node begins with it: `node01-apid`. */
const nodeForm = /^node\d+$/;

/** Whether the service is a node itself: its machined, or in a stack of whole nodes everything that it runs. */
export const isNodeService = (service: string): boolean => nodeForm.test(service);
