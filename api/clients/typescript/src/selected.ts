// The types of replies of which `fields` chooses members.

/** The members of a value with these names, in each form that it may have. */
type Picked<Value, Name> = Value extends object ? Pick<Value, Extract<keyof Value, Name>> : Value

type PickedItems<List, Name> = List extends ReadonlyArray<infer Item> ? ReadonlyArray<Picked<Item, Name>> : List

type PickedInLists<Data, Name, List> =
  Data extends ReadonlyArray<unknown>
    ? PickedItems<Data, Name>
    : Data extends object
      ? { readonly [Key in keyof Data]: Key extends List ? PickedItems<Data[Key], Name> : Data[Key] }
      : Data

/** A reply whose items, in these lists of its data or in its data itself, have the members of these names alone. */
export type SelectedItems<Reply, Name, List> = Reply extends { readonly data: infer Data }
  ? Omit<Reply, "data"> & { readonly data: PickedInLists<Data, Name, List> }
  : Reply

/**
 * A reply whose data has the members of these names alone. A premium reply holds its data beside its bill: of it those that could
 * be chosen, `All`, and were not are left out.
 */
export type SelectedMembers<Reply, All, Name> = Reply extends { readonly data: infer Data }
  ? Omit<Reply, "data"> & { readonly data: Picked<Data, Name> }
  : Omit<Reply, Extract<Exclude<All, Name>, PropertyKey>>
