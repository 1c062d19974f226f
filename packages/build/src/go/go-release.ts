import type { GoToolchain } from './exact-toolchain.ts';

/** The one Go that builds the programs that have the same bytes on every machine. */
export const goRelease: GoToolchain = {
  version: 'go1.26.10',
  sums: {
    amd64: 'h1:5VAGHlY8yl8pTPVSNIez3SNMy6fWabs+QMR25f3oMT0=',
    arm64: 'h1:TuAzKmE5TqYnXpnhgY3GtBJCVg4AfNDA/K1gLyX5Hig=',
  },
};
