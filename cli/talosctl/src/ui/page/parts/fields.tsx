interface NodeChoiceProps {
  readonly names: readonly string[];
  readonly node: string;
  readonly onChange: (node: string) => void;
}

/** Chooses the node that a view shows. */
export function NodeChoice({ names, node, onChange }: NodeChoiceProps) {
  return (
    <label>
      Node{' '}
      <select value={node} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface FilterFieldProps {
  /** Default: `Filter`. */
  readonly label?: string;
  readonly text: string;
  readonly placeholder?: string;
  readonly onChange: (text: string) => void;
}

/** Filters what a view shows. The key `/` leads to it. */
export function FilterField({ label = 'Filter', text, placeholder, onChange }: FilterFieldProps) {
  return (
    <label class="filter">
      {label}{' '}
      <input
        type="search"
        data-filter
        value={text}
        placeholder={placeholder}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
