/** Different texts that all name this node: names are compared without regard to case. */
export function spellings(name: string, count: number): string[] {
  const letters = [...name].flatMap((letter, index) => (/[a-z]/i.test(letter) ? [index] : []));
  const upper = (index: number, choice: number) => (choice >> letters.indexOf(index)) % 2 === 1;
  return Array.from({ length: count }, (_, choice) =>
    [...name.toLowerCase()]
      .map((letter, index) =>
        letters.includes(index) && upper(index, choice) ? letter.toUpperCase() : letter,
      )
      .join(''),
  );
}
