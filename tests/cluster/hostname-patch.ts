/** A patch of the machine configuration that gives the node this name. */
export function hostnamePatch(hostname: string): string {
  return `apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\nhostname: ${hostname}\n`;
}
