export { type ImageCache, openImageCache } from './image-cache.ts';
export { withImageCache } from './with-image-cache.ts';
