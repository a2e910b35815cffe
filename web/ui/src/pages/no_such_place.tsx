/** For an address that names nobody who is known here. Nothing is read or written until one is chosen. */
import { Empty, Said } from "../components/basics";
import { cut } from "../format";
import { t } from "../i18n";
import { OPEN_PICKER } from "../shell";

interface Props {
  named: string;
  /** If the address is a proper one, of somebody of whom there is nothing yet. */
  onOpen: (() => void) | undefined;
}

export function NoSuchPlace({ named, onOpen }: Props) {
  return (
    <div class="page">
      <h1 class="visually-hidden">{t("no_such_place")}</h1>
      <Empty title={t("no_such_place")}>
        <p>
          <code><Said text={cut(named, 80)} /></code>
        </p>
        <p>{t(onOpen ? "no_such_place_new" : "no_such_place_words")}</p>
        <div class="row wrap centre">
          <button type="button" class="button" onClick={() => dispatchEvent(new Event(OPEN_PICKER))}>{t("choose_place")}</button>
          {onOpen && <button type="button" class="button quiet" onClick={onOpen}>{t("begin_here")}</button>}
        </div>
      </Empty>
    </div>
  );
}
