/** The record that has a member for each of the names. */
export const recordOf = <const Name extends string, Made>(
  names: ReadonlyArray<Name>,
  make: (name: Name) => Made,
): Record<Name, Made> =>
  // Each of the names is a member.
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Made>
