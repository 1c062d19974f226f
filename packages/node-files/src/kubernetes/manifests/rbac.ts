// Objects of RBAC. Source: Kubernetes: RBAC (v1).
import type { JsonObject } from '@nodewright/state';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Lets a client read objects and follow their changes. */
export const readRule = (group: string, ...resources: string[]): RoleRule => ({
  apiGroups: [group],
  resources,
  verbs: ['get', 'list', 'watch'],
});

export function clusterRole(name: string, rules: readonly RoleRule[]): JsonObject {
  return { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: rules.map((rule) => ({ ...rule })) };
}

/** Gives a role to groups of users. */
export function groupBinding(name: string, role: string, groups: readonly string[]): JsonObject {
  return bindingOf(
    name,
    role,
    groups.map((group) => ({ apiGroup, kind: 'Group', name: group })),
  );
}

/** Gives a role to a service account of the namespace `kube-system`. */
export function accountBinding(name: string, role: string, account: string): JsonObject {
  return bindingOf(name, role, [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }]);
}

function bindingOf(name: string, role: string, subjects: JsonObject[]): JsonObject {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects,
  };
}

/** A service account of the namespace `kube-system`. */
export function serviceAccount(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'kube-system' } };
}
