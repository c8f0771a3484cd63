/** Groups of the indices of things that share a name, directly or through others, in the order of their first members. */
export const united = (namesOf: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<number>> => {
  const parents = namesOf.map((_, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root] ?? root
    // Later look-ups take one step.
    for (let at = index; at !== root; ) {
      const next = parents[at] ?? root
      parents[at] = root
      at = next
    }
    return root
  }
  const named = new Map<string, number>()
  for (const [index, names] of namesOf.entries())
    for (const name of names) {
      const other = named.get(name)
      if (other === undefined) named.set(name, index)
      else {
        const [one, two] = [rootOf(index), rootOf(other)]
        // The earlier one leads, so that groups keep the order of their first members.
        parents[Math.max(one, two)] = Math.min(one, two)
      }
    }
  const groups = new Map<number, Array<number>>()
  for (const index of namesOf.keys()) {
    const root = rootOf(index)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [index])
    else group.push(index)
  }
  return [...groups.values()]
}
