import { Component, type ComponentType, h } from 'preact';

/** A component that is drawn again only when one of its properties is another value. */
export function memo<Props extends object>(inner: ComponentType<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const before = this.props as Readonly<Record<string, unknown>>;
      const after = next as Readonly<Record<string, unknown>>;
      return [...Object.keys(before), ...Object.keys(after)].some((key) => before[key] !== after[key]);
    }

    override render() {
      return h(inner, this.props);
    }
  };
}
