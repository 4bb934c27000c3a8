/** How a group failed, as in `Outcome`. */
export interface GroupFailure {
  readonly error: Error;
  readonly isRepeatable?: boolean;
}

/** How the members of a batch that failed as a whole each come to an outcome of their own: by running parts of it. */
export interface Search<Member> {
  /** The group to run now. */
  readonly testing: readonly Member[];
  /** Everyone who has not been run with an outcome of their own: those under test, and those who still wait. */
  readonly unsettled: readonly Member[];
  /** Tells how the group ended: `null` where it ran well. Returns whether there is another group to run. */
  ended(failure: GroupFailure | null): boolean;
  /** Tells that nobody in the group wants an answer any more, so that it was not run. Returns as `ended`. */
  skipped(): boolean;
  /** Who fails without having been run alone, since nobody else can be the culprit; `null` while that is not known. */
  readonly convicted: { readonly member: Member; readonly error: Error } | null;
}
