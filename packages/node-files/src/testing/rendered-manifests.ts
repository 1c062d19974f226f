import {
  ConfigReader,
  effectiveConfig,
  kubernetesIdentity,
  loadConfiguration,
  manifestSettings,
} from '@nodewright/machine-config';
import { kubernetesRootFrom } from '../kubernetes/kubernetes-root.ts';
import { bootstrapManifests } from '../kubernetes/manifests/bootstrap-manifests.ts';
import {
  bootstrapManifestsConfigFrom,
  extraManifestsFrom,
} from '../kubernetes/manifests/manifests-config.ts';

/** The manifests that follow from a configuration, as the controllers make them. */
export function renderedManifests(text: string) {
  const documents = loadConfiguration(text);
  const reader = new ConfigReader(documents);
  const [settings, effective] = [manifestSettings(reader), effectiveConfig(documents)];
  const root = kubernetesRootFrom(effective, kubernetesIdentity(reader), undefined);
  if (root === undefined) return { manifests: [], extra: [] };
  const config = bootstrapManifestsConfigFrom(settings, effective);
  return { manifests: bootstrapManifests(config, root), extra: extraManifestsFrom(settings) };
}

/** Every scalar of a value by its path: `05-flannel.ConfigMap/kube-flannel-cfg.data…`. Texts in JSON count as values. */
export function flattened(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value === 'string' && value.startsWith('{')) return flattened(JSON.parse(value), path);
  if (typeof value !== 'object' || value === null) return { [path]: value };
  const entries = Object.entries(value);
  if (entries.length === 0) return { [path]: value };
  return Object.assign(
    {},
    ...entries.map(([key, inner]) => flattened(inner, path === '' ? key : `${path}.${key}`)),
  );
}

/** The manifests by id, each with its objects by `<kind>/<name>`. */
export function byName({ manifests }: ReturnType<typeof renderedManifests>) {
  return Object.fromEntries(
    manifests.map(({ id, objects }) => [
      id,
      Object.fromEntries(
        objects.map((object) => [`${object.kind}/${(object.metadata as { name: string }).name}`, object]),
      ),
    ]),
  );
}
