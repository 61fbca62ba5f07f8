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

  function number(value, decimals) {
    return value === null || value === undefined ? "none" : String(Number(value.toFixed(decimals)));
  }

  /* ---- a section ---- */

  function setUp(section) {
    var plan = data.plans[Number(section.getAttribute("data-plan"))];
    var detail = section.querySelector(".detail"), hint = detail.innerHTML;
    var stops = [], chosen = -1, vehicle = 0;
    plan.solution.routes.forEach(function (route) {
      route.stops.forEach(function (stop, k) {
        stops.push({ stop: stop, vehicle: route.vehicle, place: k + 1 });
      });
    });

    function row(table, key, value) {
      var line = element("tr", "", table);
      element("td", key, line);
      element("td", value, line);
    }

    function describe(index) {
      var at = stops[index], s = at.stop, d = plan.decimals, known = s.violations.indexOf("unknown") < 0;
      detail.textContent = "";
      element("h4", "Vehicle " + at.vehicle + ", " +
        (s.node === 0 ? "return to the depot" : "stop " + at.place + ": customer " + s.node), detail);
      var table = element("table", "", detail);
      if (known) {
        row(table, "arrival", number(s.arrive, d));
        if (plan.due) {
          row(table, "window", number(plan.ready[s.node], d) + " to " + number(plan.due[s.node], d));
          row(table, "waiting", number(s.wait, d));
          row(table, "start", number(s.start, d));
          row(table, "leaves", number(s.leave, d));
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
      var last = route.stops[route.stops.length - 1], table;
      var bad = route.stops.filter(function (s) { return s.violations.length; }).length;
      detail.textContent = "";
      element("h4", "Vehicle " + v, detail);
      table = element("table", "", detail);
      row(table, "customers", String(route.nodes.length));
      row(table, "return", number(last.arrive, plan.decimals));
      if (plan.demand && !plan.limit) row(table, "load", number(last.load, 4) + " of " + number(plan.capacity, 4));
      row(table, "order", route.nodes.join(" "));
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
    all(section, "svg").forEach(function (svg) { svg.setAttribute("tabindex", "0"); });
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
