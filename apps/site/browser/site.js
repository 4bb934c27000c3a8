import { offerCopies } from "./copy.js";
import { offerRun } from "./run.js";
import { offerSearch } from "./search.js";
import { offerThemes } from "./theme.js";

offerThemes();
offerCopies();
offerRun();
offerSearch();
closeListOfPages();

/** On phones, the list of pages would fill the screen. */
function closeListOfPages() {
  const narrow = matchMedia("(width < 900px)");
  const list = document.querySelector(".pages details");
  const follow = () => list?.toggleAttribute("open", !narrow.matches);
  follow();
  narrow.addEventListener("change", follow);
}
