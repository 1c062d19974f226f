export {
  layoutArchiveBytes,
  manifestText,
  type TestImage,
  testImage,
  writeLayout,
} from './test-extension.ts';
