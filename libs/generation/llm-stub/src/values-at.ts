export interface PlacedValue {
  /** Where it stands: "annotations[1].divergence_id". */
  readonly at: string;
  readonly value: unknown;
}

/** The values a dotted path leads to, `[]` standing for every item of a list, in order; none where the path leads nowhere. */
export function valuesAt(root: unknown, path: string): PlacedValue[] {
  let found: PlacedValue[] = [{ at: '', value: root }];
  for (const step of path.split('.')) {
    const each = step.endsWith('[]');
    const key = each ? step.slice(0, -2) : step;
    found = found.flatMap((place) => enter(place, key)).flatMap((place) => (each ? items(place) : [place]));
  }
  return found;
}

function enter({ at, value }: PlacedValue, key: string): PlacedValue[] {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return [];
  return [{ at: at === '' ? key : `${at}.${key}`, value: (value as Record<string, unknown>)[key] }];
}

function items({ at, value }: PlacedValue): PlacedValue[] {
  return Array.isArray(value) ? value.map((item: unknown, index) => ({ at: `${at}[${index}]`, value: item })) : [];
}
