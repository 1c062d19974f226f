// What an artefact of the installer says about itself: in the configuration of its image, which its signature covers.
import { damaged, entryPath, refused, showBytes, shown } from '@nodewright/extensions/images';
import { artefactLimits } from './artefact-limits.ts';
import { isVersion } from './version-order.ts';

/** The key of the description in the configuration of the image. */
export const descriptionKey = 'dev.nodewright.installer';

/** Whether the artefact has Kubernetes. A system is upgraded with an artefact of its own edition only. */
export const editions = ['plain', 'kubernetes'] as const;
export type Edition = (typeof editions)[number];

/** A file of an artefact. */
export interface ArtefactFile {
  /** Below the root of the artefact, such as `machine/vmlinuz`. Its first part is the kind of node that needs the file. */
  readonly path: string;
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

export interface ArtefactDescription {
  /** The version of the system, such as `v1.14.0`. */
  readonly version: string;
  readonly edition: Edition;
  /** An older system cannot be upgraded with this artefact. */
  readonly lowestVersion: string;
  /** Of the hash tree of the root file system of machines, in hex. */
  readonly rootHash: string;
  /** The version of etcd without `v`. Another minor version does not start with the data of this one. */
  readonly etcdVersion: string;
  /** In PEM. The system of this artefact accepts artefacts that are signed with the keys of these. */
  readonly certificates: readonly string[];
  /** The files of each layer of the image, in the order of the layers. */
  readonly layers: readonly (readonly ArtefactFile[])[];
}

const format = 1;
const hashForm = /^[0-9a-f]{64}$/;

/** The description as a value of the configuration of the image. */
export const describedArtefact = (description: ArtefactDescription): unknown => ({
  format,
  ...description,
});

/**
 * Reads the description in the configuration of an image.
 *
 * @throws Fault `data-loss` when it is missing or malformed, `invalid-argument` when it exceeds a limit or has a path that
 * cannot be that of a file
 */
export function parseDescription(config: Uint8Array): ArtefactDescription {
  const {
    format: found,
    version,
    edition,
    lowestVersion,
    rootHash,
    etcdVersion,
    certificates,
    layers,
  } = fieldsOf(fieldsOf(parseJson(config))[descriptionKey]);
  if (found === undefined) throw damaged('the image is no artefact of the installer: it has no description');
  if (found !== format) throw damaged(`the description of the artefact is of another format than ${format}`);
  if (!isText(version) || !isVersion(version)) throw malformed('version');
  if (!isText(lowestVersion) || !isVersion(lowestVersion)) throw malformed('lowest version to come from');
  if (!isText(etcdVersion) || !isVersion(etcdVersion)) throw malformed('version of etcd');
  const known = editions.find((one) => one === edition);
  if (known === undefined) throw malformed('edition');
  if (!isText(rootHash) || !hashForm.test(rootHash)) throw malformed('root hash');
  return {
    ...{ version, edition: known, lowestVersion, rootHash, etcdVersion },
    certificates: certificatesFrom(certificates),
    layers: layersFrom(layers),
  };
}

function certificatesFrom(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isText)) throw malformed('certificates');
  if (value.length > artefactLimits.certificates)
    throw refused(`the artefact has more than ${artefactLimits.certificates} certificates`);
  if (value.some(({ length }) => length > artefactLimits.certificateLength))
    throw refused(
      `the artefact has a certificate of more than ${artefactLimits.certificateLength} characters`,
    );
  return value;
}

function layersFrom(value: unknown): readonly (readonly ArtefactFile[])[] {
  if (!Array.isArray(value) || !value.every(Array.isArray)) throw malformed('list of files');
  const count = value.reduce((sum, layer) => sum + layer.length, 0);
  if (count > artefactLimits.files)
    throw refused(`the artefact has ${count} files, more than ${artefactLimits.files}`);
  const layers = value.map((layer) => layer.map(fileFrom));
  checkPaths(layers.flat());
  const totalBytes = layers.flat().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (totalBytes > artefactLimits.fileBytes)
    throw refused(
      `the files of the artefact have ${showBytes(totalBytes)}, more than ${showBytes(artefactLimits.fileBytes)}`,
    );
  return layers;
}

function fileFrom(value: unknown): ArtefactFile {
  const { path, sizeBytes, sha256 } = fieldsOf(value);
  if (!isText(path)) throw malformed('path of a file');
  if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw malformed(`size of ${shown(path)}`);
  if (!isText(sha256) || !hashForm.test(sha256)) throw malformed(`digest of ${shown(path)}`);
  return { path, sizeBytes, sha256 };
}

/** Whoever writes the files to a folder must be able to rely on it that each has a place of its own, below that folder. */
function checkPaths(files: readonly ArtefactFile[]): void {
  const paths = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files) {
    if (entryPath(path) !== path || path === '') throw refused(`${shown(path)} is not the path of a file`);
    if (paths.has(path)) throw refused(`the artefact has ${shown(path)} twice`);
    paths.add(path);
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  }
  const both = [...paths].find((path) => folders.has(path));
  if (both !== undefined) throw refused(`the artefact has ${shown(both)} as a file and as a folder`);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw damaged('the configuration of the artefact is not JSON');
  }
}

const malformed = (what: string) => damaged(`the description of the artefact has no valid ${what}`);
const isText = (value: unknown): value is string => typeof value === 'string';

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
