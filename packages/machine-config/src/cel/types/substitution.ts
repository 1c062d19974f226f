import { StepBudget } from './step-budget.ts';
import { isDynamic, plainType, type Type, typeVariable } from './type.ts';

/**
 * The bindings of the type variables of one expression, and the rules for assignability.
 *
 * Source: Common Expression Language, language definition, gradual type checking; the rules for null are
 * those of Talos v1.14: null is assignable to messages, wrappers, timestamps, durations and optionals.
 */
export class Substitution {
  readonly budget = new StepBudget();
  readonly #bindings = new Map<string, Type>();
  readonly #undo: (readonly [string, Type | undefined])[] = [];
  #count = 0;

  /** Returns a new, unbound type variable. */
  fresh(): Type {
    return typeVariable(`T${this.#count++}`);
  }

  /** Runs `attempt` and undoes its bindings unless it returns `true`. */
  attempt(attempt: () => boolean): boolean {
    const mark = this.#undo.length;
    const isDone = attempt();
    if (!isDone) this.#rollBack(mark);
    return isDone;
  }

  #rollBack(mark: number): void {
    while (this.#undo.length > mark) {
      const [name, type] = this.#undo.pop() as readonly [string, Type | undefined];
      if (type === undefined) this.#bindings.delete(name);
      else this.#bindings.set(name, type);
    }
  }

  #bind({ name }: Type, type: Type): void {
    this.#undo.push([name, this.#bindings.get(name)]);
    this.#bindings.set(name, type);
  }

  /** Replaces bound variables by their types. Unbound variables become `dyn` if `unknownAsDyn` is set. */
  resolve(type: Type, unknownAsDyn = false): Type {
    this.budget.spend();
    if (type.kind === 'variable') {
      const bound = this.#bindings.get(type.name);
      if (bound !== undefined) return this.resolve(bound, unknownAsDyn);
      return unknownAsDyn ? plainType('dyn') : type;
    }
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((each) => this.resolve(each, unknownAsDyn)) };
  }

  /** Returns the type itself, or the type to which a variable is bound. Does not resolve parameters. */
  head(type: Type): Type {
    this.budget.spend();
    const bound = type.kind === 'variable' ? this.#bindings.get(type.name) : undefined;
    return bound === undefined ? type : this.head(bound);
  }

  /** Whether each value is assignable to the wanted type. Binds type variables only if all values are. */
  areAssignable(values: readonly Type[], wanted: readonly Type[]): boolean {
    return (
      values.length === wanted.length &&
      this.attempt(() => values.every((value, index) => this.#isAssignable(value, wanted[index] as Type)))
    );
  }

  isAssignable(value: Type, wanted: Type): boolean {
    return this.areAssignable([value], [wanted]);
  }

  /** Whether both are the same type. Two different unbound variables are not. */
  isSame(first: Type, second: Type): boolean {
    const [one, other] = [this.head(first), this.head(second)];
    return (
      one.kind === other.kind &&
      one.name === other.name &&
      one.parameters.length === other.parameters.length &&
      one.parameters.every((each, index) => this.isSame(each, other.parameters[index] as Type))
    );
  }

  /** Returns the common type of two values in one list: the more general of the two types, or `dyn`. */
  join(previous: Type | undefined, next: Type): Type {
    if (previous === undefined) return next;
    return this.isAssignable(previous, next) ? this.#moreGeneral(previous, next) : plainType('dyn');
  }

  #isAssignable(value: Type, wanted: Type): boolean {
    this.budget.spend();
    if (value === wanted) return true;
    if (wanted.kind === 'variable') return this.#bindVariable(wanted, value);
    if (value.kind === 'variable') return this.#bindVariable(value, wanted);
    if (isDynamic(value) || isDynamic(wanted)) return true;
    if (value.name === 'null_type' && wanted.name !== 'null_type') return isNullable(wanted);
    if (wanted.name === 'null_type' && value.name !== 'null_type') return isNullable(value);
    if (value.name === 'wrapper' && wanted.name !== 'wrapper')
      return this.#isAssignable(value.parameters[0] as Type, wanted);
    if (wanted.name === 'wrapper' && value.name !== 'wrapper')
      return this.#isAssignable(value, wanted.parameters[0] as Type);
    if (value.kind !== wanted.kind || value.name !== wanted.name) return false;
    // Types as values can be compared with each other, whatever type they denote.
    if (value.name === 'type') return true;
    return value.parameters.every((each, index) =>
      this.#isAssignable(each, wanted.parameters[index] as Type),
    );
  }

  #bindVariable(variable: Type, type: Type): boolean {
    const bound = this.#bindings.get(variable.name);
    if (bound === undefined) {
      const other = this.head(type);
      if (other.kind === 'variable' && other.name === variable.name) return true;
      if (this.#occurs(variable, other)) return false;
      this.#bind(variable, other);
      return true;
    }
    if (!this.attempt(() => this.#isAssignable(type, bound))) return false;
    const general = this.#moreGeneral(type, bound);
    if (general !== bound && !this.#occurs(variable, general)) this.#bind(variable, general);
    return true;
  }

  #occurs(variable: Type, type: Type): boolean {
    this.budget.spend();
    const current = this.head(type);
    if (current.kind === 'variable') return current.name === variable.name;
    return current.parameters.some((each) => this.#occurs(variable, each));
  }

  #moreGeneral(first: Type, second: Type): Type {
    return this.#isNotMoreSpecific(first, second) ? first : second;
  }

  /** Whether `first` is as general as `second`, or more general. */
  #isNotMoreSpecific(first: Type, second: Type): boolean {
    const [one, other] = [this.head(first), this.head(second)];
    if (isDynamic(one) || one.kind === 'variable') return true;
    if (isDynamic(other) || other.kind === 'variable') return false;
    if (one.name === 'wrapper' && other.name !== 'wrapper')
      return this.#isNotMoreSpecific(one.parameters[0] as Type, other);
    if (one.kind !== other.kind || one.name !== other.name) return false;
    if (one.name === 'type') return true;
    return one.parameters.every((each, index) =>
      this.#isNotMoreSpecific(each, other.parameters[index] as Type),
    );
  }
}

function isNullable({ kind, name }: Type): boolean {
  return kind === 'message' || ['wrapper', 'timestamp', 'duration', 'optional_type'].includes(name);
}
