declare const BUILD_TAG: string | undefined;
declare const BUILD_SHA: string | undefined;
declare const BUILD_TIME: string | undefined;

/**
 * Version of this build. `tag` is the upstream version that the wire format is compatible with: clients parse
 * it as a semantic version and select calls by it. The bundler sets `sha`, another `tag` for the image of an upgrade,
 * and `built`, the time of the commit in ISO 8601; a run
 * from source has `source` and an empty text.
 */
export const buildInfo = {
  tag: typeof BUILD_TAG === 'string' ? BUILD_TAG : 'v1.14.0',
  sha: typeof BUILD_SHA === 'string' ? BUILD_SHA : 'source',
  built: typeof BUILD_TIME === 'string' ? BUILD_TIME : '',
} as const;
