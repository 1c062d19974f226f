// The policies of the API server, as resources and as files. Source: Talos v1.14: kube-apiserver, configuration files.
import type { ControlPlaneSettings } from '@nodewright/machine-config';
import { encodeYaml, type JsonObject } from '@nodewright/state';
import type {
  AdmissionControlConfigSpec,
  AuditPolicyConfigSpec,
  AuthenticationConfigSpec,
  AuthorizationConfigSpec,
} from '@nodewright/state/kinds';
import { versionOfImage } from './image-version.ts';
import { jsonFromYaml } from './json-from-yaml.ts';

export function admissionControlFrom({ admissionPlugins }: ControlPlaneSettings): AdmissionControlConfigSpec {
  return {
    config: admissionPlugins.map(({ name, configuration }) => ({
      name,
      configuration: jsonFromYaml(configuration),
    })),
  };
}

/** Without a policy of the user, every request is logged with its metadata. */
export function auditPolicyFrom({ auditPolicy }: ControlPlaneSettings): AuditPolicyConfigSpec {
  const config = jsonFromYaml(auditPolicy);
  return { config: Object.keys(config).length > 0 ? config : defaultAuditPolicy };
}

const defaultAuditPolicy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };

/** Without a configuration of the user, anonymous clients may only read the health of the server. */
export function authenticationFrom({ authentication }: ControlPlaneSettings): AuthenticationConfigSpec {
  const body = jsonFromYaml(authentication ?? {});
  return {
    config: {
      apiVersion: 'apiserver.config.k8s.io/v1beta1',
      kind: 'AuthenticationConfiguration',
      ...(Object.keys(body).length > 0 ? body : defaultAuthentication),
    },
  };
}

const defaultAuthentication: JsonObject = {
  anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }, { path: '/healthz' }] },
  jwt: [],
};

/** Node and RBAC come first, in this order; the user may name them, but cannot leave them out. */
export function authorizationFrom({ authorizers, apiServer }: ControlPlaneSettings): AuthorizationConfigSpec {
  const builtIn = [
    { type: 'Node', name: 'node', webhook: {} },
    { type: 'RBAC', name: 'rbac', webhook: {} },
  ];
  const first = builtIn.map((each) => {
    const own = authorizers.find(({ type }) => type === each.type);
    return own === undefined ? each : { ...each, name: own.name };
  });
  const webhooks = authorizers
    .filter(({ type }) => type === 'Webhook')
    .map(({ type, name, webhook }) => ({ type, name, webhook: jsonFromYaml(webhook) }));
  return { image: apiServer.image, config: [...first, ...webhooks] };
}

/** Source: Kubernetes: AdmissionConfiguration (v1). */
export function admissionControlText({ config }: AdmissionControlConfigSpec): string {
  return encodeYaml({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: config.map(({ name, configuration }) => ({ name, configuration })),
  });
}

export const auditPolicyText = ({ config }: AuditPolicyConfigSpec) => encodeYaml(config);
export const authenticationText = ({ config }: AuthenticationConfigSpec) => encodeYaml(config);

/** Source: Kubernetes: AuthorizationConfiguration (v1, since 1.32). */
export function authorizationText({ image, config }: AuthorizationConfigSpec): string {
  const version = versionOfImage(image).minor >= 32 ? 'v1' : 'v1beta1';
  return encodeYaml({
    apiVersion: `apiserver.config.k8s.io/${version}`,
    kind: 'AuthorizationConfiguration',
    authorizers: config.map(({ type, name, webhook }) => ({
      type,
      name,
      ...(Object.keys(webhook).length > 0 && { webhook }),
    })),
  });
}
