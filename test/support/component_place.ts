import type { ComponentPlace } from "../../src/launcher/components/start_component.ts";

/** Of tests that start no component. */
export const NO_PLACE: ComponentPlace = {
  ...{
    cacheDir: "/nowhere",
    program: [],
    own: [],
    unwritten: [],
    kept: [],
    ownAddresses: [],
  },
  ...{ wall: undefined, nice: [], logs: false },
};
