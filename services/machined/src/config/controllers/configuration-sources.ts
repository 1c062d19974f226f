import { volumeIds } from '@nodewright/contract/volumes';
import type { World } from '../../base/domain/world.ts';
import type { ConfigurationSource } from '../domain/search-configuration.ts';
import { type ConfigurationFile, createConfigurationFile } from '../host/configuration-file.ts';
import { configurationFromEnvironment } from '../host/platform-configuration.ts';

export interface SourcesInit {
  readonly world: Pick<World, 'takesUserData'>;
  /** The configuration file in the STATE partition. */
  readonly file: Pick<ConfigurationFile, 'read'>;
  /** Path of the configuration that is part of the image. */
  readonly embeddedPath: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * The configuration sources of a process or container node, in search order. A machine has further sources,
 * such as kernel arguments and metadata services, which belong between these.
 * Source: Talos v1.14: configuration, order at boot.
 */
export function configurationSources({
  world,
  file,
  embeddedPath,
  environment,
}: SourcesInit): ConfigurationSource[] {
  const embedded = createConfigurationFile(embeddedPath);
  const sources: ConfigurationSource[] = [
    { name: volumeIds.state, isStored: true, load: () => file.read() },
    { name: 'the image', isStored: false, load: () => embedded.read() },
  ];
  if (world.takesUserData) {
    const load = async () => configurationFromEnvironment(environment);
    sources.push({ name: 'the platform', isStored: false, load });
  }
  return sources;
}
