import { DEFAULT_PROJECT, type SentOf } from "@tunnelplane/sdk/contract";
import { missingTarget, plansForOthers, userById } from "../../auth";
import { refuseFaults } from "../../util";
import type { Behaviour } from "./behaviour";

/** Makes a project. The name of `default` is taken, also while that is not stored. */
export const makeProject: Behaviour<SentOf<"project">> = {
  async plan({ sent }) {
    if (sent.name === DEFAULT_PROJECT.name)
      refuseFaults([
        {
          error: "taken",
          path: ["name"],
          message: "is the name of the project that is there from the start; choose another name",
        },
      ]);
    return {};
  },
};

/**
 * Makes a membership. Users are no resources, so their references are checked here; somebody who plans for an
 * admin of its project is not told which users there are.
 */
export const makeMembership: Behaviour<SentOf<"membership">> = {
  async plan({ reader, sent, caller, definition }) {
    const { user_id: user } = sent;
    if (caller.accountRole === null && plansForOthers(caller, { definition })) return {};
    if (user != null && (await userById(reader, { id: user })).length === 0)
      refuseFaults([missingTarget(["user_id"], user)]);
    return {};
  },
};
