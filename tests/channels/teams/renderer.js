// A card in front of somebody, as Microsoft's own renderer draws it: what it finds wrong, what is
// read on it, how it is filled in and pressed, and what that sends.

const { AdaptiveCard, Action, GlobalRegistry, GlobalSettings, HostConfig } = AdaptiveCards;

// By design Teams reads no Markdown in choices, where this renderer's own default does.
GlobalSettings.useMarkdownInRadioButtonAndCheckbox = false;

let card, sent, marked;

// What would be read as Markdown is noted; it stays as it is.
AdaptiveCard.onProcessMarkdown = (text) => marked.push(text);

function dress(css) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
}

// `drawn.host` is the host config; without `execute` it is a client from before Action.Execute.
function show(drawn) {
    [sent, marked] = [[], []];
    const context = new AdaptiveCards.SerializationContext();
    const actions = new AdaptiveCards.CardObjectRegistry();
    GlobalRegistry.populateWithDefaultActions(actions);
    if (!drawn.execute) actions.unregister("Action.Execute");
    context.setActionRegistry(actions);
    card = new AdaptiveCard();
    card.hostConfig = new HostConfig(drawn.host);
    card.onExecuteAction = (action) =>
        sent.push({ type: action.getJsonTypeName(), verb: action.verb, data: action.data });
    card.parse(drawn.content, context);
    const events = Array.from({ length: context.eventCount }, (_, n) => context.getEventAt(n));
    events.push(...card.validateProperties().validationEvents);
    document.body.replaceChildren(card.render());
    return { ...seen(), faults: events.map(({ message }) => message) };
}

function seen() {
    const all = [...document.body.querySelectorAll("*")];
    const lines = (kind, text) => all.filter((node) => node.matches(kind)).map(text);
    // What a browser itself opens: the entries of a menu, and of a list that is searched.
    const shut = "option, datalist";
    const hidden = all.filter((node) => !node.matches(shut) && !readable(node));
    return {
        words: document.body.innerText,
        buttons: lines("button", (node) => node.innerText),
        choices: lines("option:not(:disabled), .ac-choiceSetInput-multiSelect label", (node) =>
            node.matches("option") ? node.text || node.value : node.innerText,
        ),
        links: lines("a", (node) => node.outerHTML),
        hidden: hidden.map((node) => node.outerHTML),
        marked,
        sent,
    };
}

// On the screen, and with room for all that is written in it.
function readable(node) {
    if (!node.innerText && !node.matches("input, textarea, select, button")) return true;
    // A button's label is one line by Teams' design; the whole of it stands in the text.
    const cut = getComputedStyle(node).overflow !== "visible" && !node.closest("input, button");
    return (
        node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
        node.getClientRects().length > 0 &&
        !(cut && (node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight))
    );
}

// By the ids of inputs: texts, and lists of choices' values.
function fill(values) {
    for (const [id, value] of Object.entries(values)) {
        const drawn = input(id).renderedElement;
        const boxes = [...drawn.querySelectorAll("input[type=checkbox]")];
        for (const one of boxes) if (value.includes(one.value)) one.click();
        if (!boxes.length) put(drawn.querySelector("input, textarea, select"), value, id);
    }
    return seen();
}

function input(id) {
    return card.getAllInputs().find((one) => one.id === id);
}

function put(control, value, id) {
    const wanted = String(value);
    const title = () => input(id).choices.find((one) => one.value === wanted).title;
    control.focus();
    // A list that is searched takes what is read there.
    control.value = control.list ? title() : wanted;
    control.dispatchEvent(new Event("input", { bubbles: true }));
    control.dispatchEvent(new Event("change", { bubbles: true }));
    control.blur();
}

function press(at) {
    document.body.querySelectorAll("button")[at].click();
    return seen();
}

// What stands in the inputs that hold anything, by id.
function held() {
    const inputs = card.getAllInputs().filter((input) => input.isSet());
    return Object.fromEntries(inputs.map((input) => [input.id, String(input.value)]));
}
