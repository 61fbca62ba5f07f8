"use strict";
/* Clicking: a stop or a vehicle is shown everywhere in its section. Texts are set as text, never as markup. */
(function () {
  var data = JSON.parse(document.getElementById("ucpo-data").textContent);

  function all(root, selector) {
    return Array.prototype.slice.call(root.querySelectorAll(selector));
  }

  function element(name, text, parent) {
    var made = document.createElement(name);
    made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  function button(text, title, parent, act) {
    var made = element("button", text, parent);
    made.type = "button";
    made.title = title;
    made.setAttribute("aria-label", title);
    made.addEventListener("click", act);
    return made;
  }

  function two(n) { return (n < 10 ? "0" : "") + n; }

  /* 08:30, 08:30:15, 00:10+1: as the program writes it. */
  function clockText(seconds) {
    var all = Math.floor(seconds + 0.5), day = Math.floor(all / 86400), s = all - 86400 * day;
    var text = two(Math.floor(s / 3600)) + ":" + two(Math.floor(s / 60) % 60) + (s % 60 ? ":" + two(s % 60) : "");
    return text + (day ? (day > 0 ? "+" : "") + day : "");
  }

  function number(value, decimals) {
    return value === null || value === undefined ? "none" : String(Number(value.toFixed(decimals)));
  }

  /* ---- a section ---- */

  function setUp(section) {
    var plan = data.plans[Number(section.getAttribute("data-plan"))];
    var detail = section.querySelector(".detail"), hint = detail.innerHTML;
    var stops = [], chosen = -1, vehicle = 0;
    var lines = all(section, ".stops tbody tr"), heads = all(section, ".stops th");
    var isTerse = !plan.solution.routes.some(function (route) { return route.stops; });
    plan.solution.routes.forEach(function (route) {
      (route.stops || []).forEach(function (stop, k) {
        stops.push({ stop: stop, vehicle: route.vehicle, place: k + 1 });
      });
    });
    if (isTerse) lines.forEach(function (line) { /* large plans: the table has the numbers */
      stops.push({ line: line, vehicle: Number(line.getAttribute("data-v")), place: line.children[1].textContent });
    });
    var byVehicle = {};
    all(section, "[data-v]").forEach(function (e) {
      var v = e.getAttribute("data-v");
      (byVehicle[v] = byVehicle[v] || []).push(e);
    });

    function time(value) {
      return plan.clock && value !== null ? clockText(value * plan.clock) : number(value, plan.decimals);
    }

    function who(node) {
      var id = plan.ids && plan.ids[node] ? plan.ids[node] : String(node);
      return id + (plan.names && plan.names[node] ? " (" + plan.names[node] + ")" : "");
    }

    function row(table, key, value) {
      var line = element("tr", "", table);
      element("td", key, line);
      element("td", value, line);
    }

    function describe(index) {
      var at = stops[index], s = at.stop, d = plan.clock ? 1 : plan.decimals;
      detail.textContent = "";
      if (isTerse) {
        element("h4", "Vehicle " + at.vehicle + ", stop " + at.place, detail);
        var list = element("table", "", detail);
        heads.forEach(function (head, k) {
          var text = at.line.children[k].textContent;
          if (k > 1 && text) row(list, head.textContent, text);
        });
        return;
      }
      var known = s.violations.indexOf("unknown") < 0;
      element("h4", "Vehicle " + at.vehicle + ", " +
        (s.node === 0 ? "return to the depot" : "stop " + at.place + ": customer " + who(s.node)), detail);
      var table = element("table", "", detail);
      if (known) {
        row(table, "arrival", time(s.arrive));
        if (plan.due) {
          row(table, "window", time(plan.ready[s.node]) + " to " + time(plan.due[s.node]));
          row(table, "waiting", number(s.wait, d));
          row(table, "start", time(s.start));
          row(table, "leaves", time(s.leave));
          row(table, "lateness", number(s.late, d));
        }
        if (plan.limit) row(table, "draft", number(s.load, 4) + " of " + number(plan.limit[s.node], 4));
        else if (plan.demand) row(table, "load", number(s.load, 4) + " of " + number(plan.capacity, 4));
      }
      if (s.violations.length) {
        row(table, "violated", s.violations.join(", ").replace(/_/g, " "));
        table.lastChild.className = "bad-text";
      }
    }

    function describeVehicle(v) {
      var route = plan.solution.routes.filter(function (r) { return r.vehicle === v; })[0];
      var last = route.stops && route.stops[route.stops.length - 1], table;
      var bad = all(section, '.stops tr.violated[data-v="' + v + '"]').length;
      detail.textContent = "";
      element("h4", "Vehicle " + v, detail);
      table = element("table", "", detail);
      row(table, "customers", String(route.nodes.length));
      if (last) row(table, "return", time(last.arrive));
      if (last && plan.demand && !plan.limit) row(table, "load", number(last.load, 4) + " of " + number(plan.capacity, 4));
      row(table, "order", route.nodes.slice(0, 400).map(function (n) {
        return plan.ids && plan.ids[n] ? plan.ids[n] : n;
      }).join(" ") + (route.nodes.length > 400 ? " ..." : ""));
      if (bad) {
        row(table, "violated stops", String(bad));
        table.lastChild.className = "bad-text";
      }
    }

    function mark() {
      section.classList.toggle("has-v", vehicle > 0);
      all(section, "[data-v]").forEach(function (e) {
        e.classList.toggle("same", Number(e.getAttribute("data-v")) === vehicle);
      });
      all(section, "[data-s]").forEach(function (e) {
        e.classList.toggle("on", Number(e.getAttribute("data-s")) === chosen);
      });
      all(section, ".pick").forEach(function (e) {
        e.setAttribute("aria-pressed", String(Number(e.closest("tr").getAttribute("data-s")) === chosen));
      });
      all(section, "[data-chip]").forEach(function (e) {
        e.setAttribute("aria-pressed", String(Number(e.getAttribute("data-chip")) === vehicle));
      });
      if (chosen >= 0) describe(chosen);
      else if (vehicle > 0) describeVehicle(vehicle);
      else detail.innerHTML = hint;
    }

    /* Scrolls the table, never the page. */
    function show(line) {
      var box = line && line.closest(".scroll");
      if (line) box.scrollTop = line.offsetTop - box.clientHeight / 3;
    }

    function chooseStop(index) {
      chosen = index;
      vehicle = plan.solution.routes.length > 1 && index >= 0 ? stops[index].vehicle : 0;
      mark();
      show(section.querySelector(".stops tr.on"));
    }

    function chooseVehicle(v) {
      vehicle = vehicle === v && chosen < 0 ? 0 : v;
      chosen = -1;
      mark();
      show(section.querySelector(".stops tr.same"));
    }

    section.addEventListener("click", function (event) {
      var chip = event.target.closest("[data-chip]"), stop = event.target.closest("[data-s]");
      var route = event.target.closest("svg [data-v]");
      if (chip) chooseVehicle(Number(chip.getAttribute("data-chip")));
      else if (stop) chooseStop(Number(stop.getAttribute("data-s")));
      else if (route) chooseVehicle(Number(route.getAttribute("data-v")));
      else if (event.target.closest("svg") && (chosen >= 0 || vehicle > 0)) { vehicle = 0; chooseStop(-1); }
    });
    section.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") { vehicle = 0; chooseStop(-1); }
      else if (step && (event.target.closest("svg") || event.target.closest(".pick"))) {
        event.preventDefault();
        chooseStop(Math.min(Math.max(chosen + step, 0), stops.length - 1));
        var button = event.target.closest(".pick") && section.querySelector(".stops tr.on .pick");
        if (button) button.focus();
      } else if ((event.key === "Enter" || event.key === " ") && event.target.closest("svg")) {
        event.preventDefault();
        if (chosen < 0) chooseStop(0);
      }
    });
    all(section, "figure svg").forEach(function (svg) { svg.setAttribute("tabindex", "0"); });

    /* ---- pointing at a vehicle ---- */

    var near = null;
    section.addEventListener("mouseover", function (event) {
      var at = event.target.closest("svg [data-v], .stops tr[data-v], [data-chip]");
      var v = at && (at.getAttribute("data-v") || at.getAttribute("data-chip"));
      if (v === near || plan.solution.routes.length < 2) return;
      (byVehicle[near] || []).forEach(function (e) { e.classList.remove("near"); });
      near = v;
      (byVehicle[near] || []).forEach(function (e) { e.classList.add("near"); });
      section.classList.toggle("has-h", !!near && vehicle === 0 && chosen < 0 && !event.target.closest("tr"));
    });
    section.addEventListener("mouseleave", function () {
      (byVehicle[near] || []).forEach(function (e) { e.classList.remove("near"); });
      near = null;
      section.classList.remove("has-h");
    });

    /* ---- hiding routes ---- */

    var eyes = [];
    function hide(v, isHidden) {
      (byVehicle[v] || []).forEach(function (e) { e.classList.toggle("gone", isHidden); });
      eyes.forEach(function (eye) {
        if (eye.v === v) eye.button.setAttribute("aria-pressed", String(isHidden));
      });
    }
    function isHidden(eye) { return eye.button.getAttribute("aria-pressed") === "true"; }
    all(section, "[data-chip]").forEach(function (chip) {
      var pair = element("span", ""), v = Number(chip.getAttribute("data-chip"));
      if (plan.solution.routes.length < 2) return;
      pair.className = "pair";
      chip.parentNode.insertBefore(pair, chip);
      pair.appendChild(chip);
      var eye = { v: v };
      eye.button = button("hide", "hide vehicle " + v + "; with Shift all others", pair, function (event) {
        if (event.shiftKey) eyes.forEach(function (e) { hide(e.v, e.v !== v); });
        else hide(v, !isHidden(eye));
      });
      eye.button.className = "eye";
      eye.button.setAttribute("aria-pressed", "false");
      eyes.push(eye);
    });

    /* ---- search ---- */

    var tools = element("div", ""), find = element("input", "", tools), found = element("span", "", tools);
    tools.className = "tools";
    section.insertBefore(tools, section.querySelector(".columns"));
    find.type = "search";
    find.className = "find";
    find.placeholder = "find a customer: number" + (plan.ids ? ", id" : "") + (plan.names ? ", name" : "");
    find.setAttribute("aria-label", find.placeholder);
    found.className = "found";
    found.setAttribute("aria-live", "polite");
    var texts = stops.map(function (at, k) {
      var node = isTerse ? at.line.children[2].textContent : String(at.stop.node);
      return { k: k, node: node, text: (node + " " + who(Number(node))).toLowerCase() };
    }).filter(function (t) { return t.node !== "0" && t.node !== "depot"; });
    var hits = [], hit = 0;
    function next() {
      found.textContent = hits.length ? (hit + 1) + " of " + hits.length : find.value ? "none" : "";
      if (hits.length) { hide(stops[hits[hit].k].vehicle, false); chooseStop(hits[hit].k); }
    }
    find.addEventListener("input", function () {
      var word = find.value.trim().toLowerCase();
      hits = word ? texts.filter(function (t) { return t.text.indexOf(word) >= 0; }) : [];
      hits.sort(function (a, b) { return (b.node === word) - (a.node === word) || a.k - b.k; });
      hit = 0;
      next();
    });
    find.addEventListener("keydown", function (event) {
      if (event.key !== "Enter" || !hits.length) return;
      event.preventDefault();
      hit = (hit + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
      next();
    });
    if (plan.solution.routes.length > 1)
      button("show all", "show all vehicles", tools, function () { eyes.forEach(function (e) { hide(e.v, false); }); });

    /* ---- zoom ---- */

    var map = section.querySelector("figure.map svg");
    if (!map || !map.getAttribute("viewBox")) return;
    var full = map.getAttribute("viewBox").split(/\s+/).map(Number), view = full.slice(), drag = null;
    function look(x, y, width) {
      width = Math.min(Math.max(width, full[2] / 64), full[2]);
      var height = width * full[3] / full[2];
      view = [Math.min(Math.max(x, full[0]), full[0] + full[2] - width),
              Math.min(Math.max(y, full[1]), full[1] + full[3] - height), width, height];
      map.setAttribute("viewBox", view.join(" "));
      map.classList.toggle("grab", width < full[2]);
      var small = Math.pow(view[2] / full[2], 0.75); /* dots and words grow less than the map */
      all(map, ".dot, .hit").forEach(function (dot) {
        if (!dot.hasAttribute("r")) return;
        if (!dot.hasAttribute("data-r")) dot.setAttribute("data-r", dot.getAttribute("r"));
        dot.setAttribute("r", dot.getAttribute("data-r") * small);
      });
      all(map, "text").forEach(function (text) {
        text.style.fontSize = width < full[2] ? 11 * small + "px" : "";
        text.style.strokeWidth = width < full[2] ? 4 * small + "px" : "";
      });
    }
    function zoom(factor, x, y) { /* x, y: shares of the picture that stay where they are */
      var width = Math.min(Math.max(view[2] / factor, full[2] / 64), full[2]);
      look(view[0] + (view[2] - width) * x, view[1] + (view[3] - width * full[3] / full[2]) * y, width);
    }
    button("+", "zoom in", tools, function () { zoom(1.6, 0.5, 0.5); });
    button("\u2212", "zoom out", tools, function () { zoom(1 / 1.6, 0.5, 0.5); });
    button("whole map", "show the whole map", tools, function () { look(full[0], full[1], full[2]); });
    map.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.metaKey && view[2] >= full[2]) return; /* the page scrolls */
      event.preventDefault();
      var box = map.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    map.addEventListener("dblclick", function (event) {
      var box = map.getBoundingClientRect();
      zoom(2, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    });
    map.addEventListener("pointerdown", function (event) {
      if (view[2] < full[2]) drag = { x: event.clientX, y: event.clientY, view: view.slice() };
    });
    window.addEventListener("pointermove", function (event) {
      if (!drag) return;
      var box = map.getBoundingClientRect(), scale = drag.view[2] / box.width;
      if (Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 4) drag.moved = true;
      look(drag.view[0] - (event.clientX - drag.x) * scale, drag.view[1] - (event.clientY - drag.y) * scale, drag.view[2]);
    });
    window.addEventListener("pointerup", function () {
      if (drag && drag.moved) map.addEventListener("click", function (event) { event.stopPropagation(); }, { once: true, capture: true });
      drag = null;
    });
    map.addEventListener("keydown", function (event) {
      if (event.key === "+" || event.key === "=") zoom(1.6, 0.5, 0.5);
      else if (event.key === "-") zoom(1 / 1.6, 0.5, 0.5);
      else if (event.key === "0") look(full[0], full[1], full[2]);
    });
    element("span", "Ctrl and wheel or + \u2212 zoom, drag moves", tools).className = "found";
  }

  /* ---- sorting ---- */

  function value(row, column) {
    var cell = row.children[column], text = cell.getAttribute("data-n") || cell.textContent;
    var parsed = parseFloat(text);
    return isNaN(parsed) ? text : parsed;
  }

  function sortBy(table, head, column) {
    var down = head.getAttribute("aria-sort") === "ascending";
    var rows = all(table, "tbody tr").map(function (row, k) { return { row: row, key: value(row, column), k: k }; });
    rows.sort(function (a, b) {
      var words = (typeof a.key === "string") - (typeof b.key === "string"); /* words after numbers */
      var order = words || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
      return (down ? -order : order) || a.k - b.k;
    });
    all(table, "th").forEach(function (th) { th.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.forEach(function (r) { table.tBodies[0].appendChild(r.row); });
  }

  all(document, "table.sortable").forEach(function (table) {
    all(table, "th").forEach(function (head, column) {
      head.firstChild.addEventListener("click", function () { sortBy(table, head, column); });
    });
  });
  all(document, "section.plan").forEach(setUp);
})();
