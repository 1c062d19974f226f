import { kubernetesImages } from '../generate/generate-options.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import { type ComponentResources, componentResources } from './component-resources.ts';
import type { ConfigReader, DocumentReader } from './config-reader.ts';

/** What all components of the control plane have in common. */
export interface ComponentSettings {
  readonly image: string;
  /** Flags without dashes. A flag may have several values, in order. */
  readonly extraArgs: Readonly<Record<string, readonly string[]>>;
  /** Mounts of the host, only in the legacy form. */
  readonly extraVolumes: readonly {
    readonly hostPath: string;
    readonly mountPath: string;
    readonly readonly: boolean;
  }[];
  readonly environment: Readonly<Record<string, string>>;
  readonly resources: ComponentResources;
}

export interface Authorizer {
  /** `Node`, `RBAC` or `Webhook`. */
  readonly type: string;
  readonly name: string;
  readonly webhook: YamlMap;
}

/** Settings of the control plane of Kubernetes. */
export interface ControlPlaneSettings {
  readonly apiServer: ComponentSettings & {
    /** Whether it is configured by its own document. */
    readonly hasDocument: boolean;
    readonly startupProbes: boolean;
  };
  readonly controllerManager: ComponentSettings & { readonly enabled: boolean };
  readonly scheduler: ComponentSettings & { readonly enabled: boolean; readonly config: YamlMap };
  /** Configurations of admission plugins by name. */
  readonly admissionPlugins: readonly { readonly name: string; readonly configuration: YamlMap }[];
  /** A Policy; empty when not set. */
  readonly auditPolicy: YamlMap;
  /** Body of an AuthenticationConfiguration; `undefined` when it is not configured by document. */
  readonly authentication: YamlMap | undefined;
  readonly authorizers: readonly Authorizer[];
  /** Lengths of the pod subnet of a node; 0 leaves it to the controller manager. */
  readonly nodeMasks: { readonly ipv4: number; readonly ipv6: number };
  readonly usesExternalCloudProvider: boolean;
  readonly skipNodeRegistration: boolean;
  /** Static pods of the user. */
  readonly staticPods: readonly YamlMap[];
}

/**
 * The settings of the control plane, from its documents or from the legacy section.
 * Source: Talos v1.14: machine configuration, `cluster`, Kubernetes documents.
 */
export function controlPlaneSettings(reader: ConfigReader): ControlPlaneSettings {
  const { legacy } = reader;
  const images = kubernetesImages({});
  const apiServer = reader.document('KubeAPIServerConfig');
  const controllerManager = reader.document('KubeControllerManagerConfig');
  const scheduler = reader.document('KubeSchedulerConfig');
  const network = reader.document('KubeNetworkConfig');
  return {
    apiServer: {
      ...component(apiServer ?? legacy.below('cluster', 'apiServer'), images.apiServer),
      hasDocument: apiServer !== undefined,
      startupProbes: apiServer !== undefined && (apiServer.boolean('startupProbes') ?? true),
    },
    controllerManager: {
      ...component(
        controllerManager ?? legacy.below('cluster', 'controllerManager'),
        images.controllerManager,
      ),
      enabled: isEnabled(controllerManager, legacy, 'controllerManager'),
    },
    scheduler: {
      ...component(scheduler ?? legacy.below('cluster', 'scheduler'), images.scheduler),
      enabled: isEnabled(scheduler, legacy, 'scheduler'),
      config: (scheduler ?? legacy.below('cluster', 'scheduler')).map('config'),
    },
    ...policies(reader),
    nodeMasks:
      network === undefined
        ? { ipv4: 0, ipv6: 0 }
        : {
            ipv4: network.integer('nodeCIDRMaskSizeIPv4') || 24,
            ipv6: network.integer('nodeCIDRMaskSizeIPv6') || 64,
          },
    usesExternalCloudProvider: legacy.boolean('cluster', 'externalCloudProvider', 'enabled') ?? false,
    skipNodeRegistration:
      (reader.document('KubeNodeConfig')?.boolean('skipNodeRegistration') ??
        legacy.boolean('machine', 'kubelet', 'skipNodeRegistration')) ||
      false,
    staticPods: [
      ...legacy.items('machine', 'pods').map((item) => item.map()),
      ...reader.documents('KubeStaticPodConfig').map((document) => document.map('pod')),
    ],
  };
}

function policies(
  reader: ConfigReader,
): Pick<ControlPlaneSettings, 'admissionPlugins' | 'auditPolicy' | 'authentication' | 'authorizers'> {
  const { legacy } = reader;
  const plugins = reader.documents('KubeAdmissionControlConfig');
  const authorizers = reader.documents('KubeAuthorizerConfig');
  const audit = reader.document('KubeAuditPolicyConfig');
  const authentication = reader.document('KubeAuthenticationConfig');
  const usesDocuments = reader.document('KubeAPIServerConfig') !== undefined || authentication !== undefined;
  return {
    admissionPlugins: (plugins.length > 0
      ? plugins
      : legacy.items('cluster', 'apiServer', 'admissionControl')
    ).map((plugin) => ({ name: plugin.text('name'), configuration: plugin.map('configuration') })),
    auditPolicy: audit?.map('configuration') ?? legacy.map('cluster', 'apiServer', 'auditPolicy'),
    authentication: usesDocuments ? (authentication?.map('configuration') ?? {}) : undefined,
    authorizers: (authorizers.length > 0
      ? authorizers
      : legacy.items('cluster', 'apiServer', 'authorizationConfig')
    ).map((each) => ({ type: each.text('type'), name: each.text('name'), webhook: each.map('webhook') })),
  };
}

function component(reader: DocumentReader, image: string): ComponentSettings {
  return {
    image: reader.text('image') || image,
    extraArgs: reader.argMap('extraArgs'),
    extraVolumes: reader.items('extraVolumes').map((volume) => ({
      hostPath: volume.text('hostPath'),
      mountPath: volume.text('mountPath'),
      readonly: volume.boolean('readonly') ?? false,
    })),
    environment: reader.textMap('env'),
    resources: componentResources(reader),
  };
}

function isEnabled(document: DocumentReader | undefined, legacy: DocumentReader, name: string): boolean {
  if (document !== undefined) return document.boolean('enabled') ?? true;
  return !legacy.boolean('machine', 'controlPlane', name, 'disabled');
}
