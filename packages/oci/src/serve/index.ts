export type { AnswerRecord } from './answer-request.ts';
export type { DistributionSource, ServedBlob } from './distribution-source.ts';
export { type DistributionLimits, distributionLimits } from './limits.ts';
export { LocalImages, localSource, missing, referencesOf } from './local-images.ts';
export {
  type DistributionServer,
  type DistributionServerInit,
  openDistributionServer,
} from './open-distribution-server.ts';
export type { ContentTarget } from './parse-target.ts';
