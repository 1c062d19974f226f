/** Messages of the console after which a machine cannot become ready, and what to do about them. */
const failures: readonly { readonly shows: RegExp; readonly advice: string }[] = [
  {
    shows: /no disk has a partition labelled BOOT/,
    advice:
      'its disk has no system, because the machine was reset, or one of another image: destroy the cluster and create it again',
  },
  {
    shows: /device-mapper: verity: .*is corrupted/,
    advice:
      'the root file system or an extension on its disk was changed: destroy the cluster and create it again',
  },
];

/** Returns why a machine with this console cannot become ready; `undefined` while it can. */
export function bootFailure(console: string): string | undefined {
  return failures.find(({ shows }) => shows.test(console))?.advice;
}
