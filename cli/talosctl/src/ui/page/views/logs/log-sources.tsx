interface ChoiceProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly colours?: ReadonlyMap<string, number>;
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** A list of names to choose from. */
export function Choice({ title, names, chosen, colours, onChoose }: ChoiceProps) {
  const toggle = (name: string) =>
    onChoose(names.filter((each) => (each === name ? !chosen.has(each) : chosen.has(each))));
  return (
    <fieldset class="choice">
      <legend>
        {title}{' '}
        <button type="button" onClick={() => onChoose(chosen.size === names.length ? [] : names)}>
          {chosen.size === names.length ? 'none' : 'all'}
        </button>
      </legend>
      {names.map((name) => (
        <label key={name}>
          <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
          <span class={colours === undefined ? '' : `colour-${colours.get(name) ?? 0}`}>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
