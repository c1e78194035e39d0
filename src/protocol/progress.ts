/** How far a run is, as its code says. */
export interface Progress {
  /** One line. */
  message: string;
  /** How much is done; absent if the code only says that it goes on. */
  progress?: number;
  /** How much there is to do. */
  total?: number;
  /** Whether the code shows it on its stderr already, as a bar does. */
  isDrawn: boolean;
}
