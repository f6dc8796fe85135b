namespace Web.Pages;

public class Index { public Ship Ship { get; set; } }
